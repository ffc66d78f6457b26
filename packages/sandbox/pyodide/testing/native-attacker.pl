# Stands for an attacker who runs native code: system calls, made one by one. Prints the error of each, or `got`.
# Arguments: NAME:NUMBER:ARGUMENT:ARGUMENT…, where a text in quotes is a pointer to it.
use strict;
use warnings;

for my $attack (@ARGV) {
    my ($name, $number, @arguments) = split /:/, $attack;
    my @given = map { /^'(.*)'$/s ? "$1" . ("\0" x 256) : /^0x/ ? hex : $_ + 0 } @arguments;
    $! = 0;
    my $result = syscall($number + 0, @given);
    # In the child of a fork.
    exit 0 if $result == 0 && $name =~ /^(fork|clone)/;
    printf "%s %s\n", $name, $result < 0 ? $! + 0 : 'got';
}
