-- A hundred components of one kind.
entity adder is
	port(left, right : in integer; sum : out integer);
end adder;

architecture behaviour of adder is
begin
	process(left, right)
	begin
		sum <= left + right;
	end process;
end behaviour;
