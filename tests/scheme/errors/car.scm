(display "before") (newline) (define (f x) (car x)) (f 5)
