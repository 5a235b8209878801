INSERT INTO outcomes VALUES (-2, 3, 201, ''), (-3, 3, 0, 'other');
