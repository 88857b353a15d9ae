; Lists that are built and dropped, beside one that stays: for Scheme systems of R4RS and later.
(define (numbers n) (if (= n 0) '() (cons (cons n n) (numbers (- n 1)))))
(define (sum list) (if (null? list) 0 (+ (car (car list)) (sum (cdr list)))))
(define kept (numbers 3000))
(define (rounds n total) (if (= n 0) total (rounds (- n 1) (+ (sum (numbers 2000)) (- total n)))))
(display (+ (rounds 500 0) (sum kept)))
(newline)
