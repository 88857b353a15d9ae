(let ((x)) x)
