@main[]
$table[^hash::create[]]
^for[i](1;15000){$table.[key $i][^i.format[%05d]]}
$length(0)
^table.foreach[key;value]{^length.inc(^value.length[])}
$length ^table._count[]
^for[round](1;10){^for[i](1;100){$rows[^table::create{number	square
^for[j](1;100){$j	^eval($i*$j)
}}]}^rows.count[] ^memory:compact[]}
