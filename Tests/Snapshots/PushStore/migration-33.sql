INSERT INTO outcomes VALUES (-4, 4, 200, ''), (-5, 4, 0, 'other');
