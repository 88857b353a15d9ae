(define (nest n l) (if (= n 0) l (nest (- n 1) (list l)))) (equal? (nest 1000000 '()) (nest 1000000 '()))
