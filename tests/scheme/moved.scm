;; SPDX-License-Identifier: MIT
;; Elements leave an old vector for new lists, numbers take their places, and they come back. A
;; collector that marks meanwhile has not looked into the vector yet, or not into the lists.
(define count 2000)
(define elements (make-vector count 0))
(do ((i 0 (+ i 1))) ((= i count)) (vector-set! elements i (list i (list i))))

(define (take-out)
  (let loop ((i 0) (out '()))
    (if (= i count)
        out
        (let ((element (vector-ref elements i)))
          (vector-set! elements i i)
          (loop (+ i 1) (cons element out))))))

(define (put-back out)
  (do ((i (- count 1) (- i 1)) (out out (cdr out))) ((null? out))
    (vector-set! elements i (car out))))

(do ((turn 0 (+ turn 1))) ((= turn 100))
  (put-back (take-out)))

(define (sum part)
  (do ((i 0 (+ i 1)) (sum 0 (+ sum (part (vector-ref elements i))))) ((= i count) sum)))
(display (list (sum car) (sum caadr)))
(newline)
