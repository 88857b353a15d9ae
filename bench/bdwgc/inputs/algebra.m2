-- A Groebner basis, a resolution, a table, and strings that are dropped.
R = ZZ/101[x_1..x_6]
I = ideal(x_1^3 + x_2*x_3*x_4, x_2^3 - x_1*x_5*x_6, x_3^3 + x_4*x_5*x_6 - x_1^2*x_2)
print toString betti gens gb I
print toString betti res coker vars R
h = new MutableHashTable
for i from 0 to 100000 do h#(i, i^2) = toString i
print sum(values h, length)
print sum(for i from 0 to 300000 list #(toString i))
