module postrider

go 1.19
