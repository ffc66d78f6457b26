# Builds walls around a process, then becomes that process. Perl, because it can make any system call and is there on
# every machine that has git; nothing has to be compiled. What is asked for stands in the end, or nothing is started.
# Numbers of system calls and the filter come from the caller, who knows the processor.
use strict;
use warnings;

use constant { NEWNS => 0x20000, NEWUSER => 0x10000000, OTHER_NAMESPACES => 0x6e000000 };
use constant { MS_NOSUID => 2, MS_NODEV => 4, MS_BIND => 0x1000, MS_REC => 0x4000, MS_PRIVATE => 0x40000 };
use constant { SET_PDEATHSIG => 1, CAPBSET_DROP => 24, SET_NO_NEW_PRIVS => 38, SIGKILL => 9 };
use constant { MNT_DETACH => 2, AT_FDCWD => -100, AT_RECURSIVE => 0x8000, READ_ONLY_NOSUID_NODEV => 7 };
use constant { O_PATH => 0x200000, LIMIT_THREADS => 6 };

my (%calls, %plan, @visible, @limits);
while (@ARGV && $ARGV[0] =~ /^--([a-z]+)=(.*)$/s) {
    shift @ARGV;
    if ($1 eq 'call') { my ($name, $number) = split /:/, $2; $calls{$name} = $number }
    elsif ($1 eq 'visible') { push @visible, $2 }
    elsif ($1 eq 'limit') { push @limits, [split /:/, $2] }
    else { $plan{$1} = $2 }
}
my ($user, $group) = ($>, $) + 0);
my $has_own_users = 0;

call('prctl', SET_PDEATHSIG, SIGKILL, 0, 0, 0);
enter_namespaces() if $plan{namespaces};
empty_files() if $plan{files} eq 'mount';
wait_for_child() if $plan{namespaces};
drop_rights();
limit_resources();
call('prctl', SET_NO_NEW_PRIVS, 1, 0, 0, 0);
keep_to_visible() if $plan{files} eq 'landlock';
# Forgotten at every change of the user.
call('prctl', SET_PDEATHSIG, SIGKILL, 0, 0, 0);
filter_calls() if $plan{filter};
exec { $ARGV[0] } @ARGV or die "cannot become $ARGV[0]: $!\n";

sub attempt {
    my ($name, @arguments) = @_;
    return syscall($calls{$name} + 0, @arguments);
}

sub call {
    my $result = attempt(@_);
    die "$_[0]: $!\n" if $result < 0;
    return $result;
}

# Network, processes, names and mounts of its own. Whoever is not root needs users of its own for that, too.
sub enter_namespaces {
    my $is_root = $user == 0;
    call('unshare', NEWNS | OTHER_NAMESPACES | ($is_root ? 0 : NEWUSER));
    return if $is_root;
    $has_own_users = 1;
    write_file('/proc/self/setgroups', 'deny');
    write_file('/proc/self/uid_map', "$plan{nobody} $user 1");
    write_file('/proc/self/gid_map', "$plan{nobody} $group 1");
}

# A root folder with nothing in it but what is visible, read-only. It is put together over /proc: that is there on every
# machine, and nothing below it is wanted.
sub empty_files {
    call('mount', 'none', '/', 0, MS_REC | MS_PRIVATE, 0);
    call('mount', 'none', '/proc', 'tmpfs', MS_NOSUID | MS_NODEV, 'mode=755,size=1m');
    for my $path (@visible) {
        my $is_folder = -d $path;
        my $at = '/proc';
        my @parts = grep { length } split m{/}, $path;
        my $name = $is_folder ? '' : pop @parts;
        for my $part (@parts) { $at .= "/$part"; -d $at or mkdir $at or die "$at: $!\n" }
        if (!$is_folder) { $at .= "/$name"; open(my $file, '>>', $at) or die "$at: $!\n" }
        call('mount', $path, $at, 0, MS_BIND | MS_REC, 0);
    }
    chdir '/proc' or die "/proc: $!\n";
    call('pivot_root', '.', '.');
    call('umount2', '.', MNT_DETACH);
    chdir '/' or die "/: $!\n";
    call('mount_setattr', AT_FDCWD, '/', AT_RECURSIVE, pack('Q4', READ_ONLY_NOSUID_NODEV, 0, 0, 0), 32);
}

# The first process of the new namespace is a child. This one waits for its end; whoever ends this one ends both.
sub wait_for_child {
    my $child = fork() // die "fork: $!\n";
    return if $child == 0;
    waitpid $child, 0;
    exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
}

sub drop_rights {
    for my $capability (0 .. 63) { last if attempt('prctl', CAPBSET_DROP, $capability, 0, 0, 0) < 0 }
    if ($plan{user}) {
        call('setgroups', 0, 0);
        call('setresgid', ($plan{user} + 0) x 3);
        call('setresuid', ($plan{user} + 0) x 3);
        # Users of its own once more, only so that its threads are counted by themselves.
        $has_own_users = 1 if attempt('unshare', NEWUSER) == 0;
    }
    call('capset', pack('LL', 0x20080522, 0), pack('L6', (0) x 6));
}

sub limit_resources {
    for my $limit (@limits) {
        my ($resource, $value) = @$limit;
        # Otherwise the limit would count everything else that this user runs.
        next if $resource == LIMIT_THREADS && !$has_own_users;
        call('prlimit64', 0, $resource + 0, pack('QQ', $value, $value), 0);
    }
}

# Landlock: no file, no folder, no port but what is visible; no signal and no socket to others where the kernel can.
sub keep_to_visible {
    my $version = call('landlock_create_ruleset', 0, 0, 1);
    my $files = 0x1fff | ($version > 1 ? 0x2000 : 0) | ($version > 2 ? 0x4000 : 0) | ($version > 4 ? 0x8000 : 0);
    my $attributes = pack('Q', $files) . ($version > 3 ? pack('Q', 3) : '') . ($version > 5 ? pack('Q', 3) : '');
    my $rules = call('landlock_create_ruleset', $attributes, length $attributes, 0);
    my ($execute, $read_file, $read_folder) = (1, 4, 8);
    for my $path (@visible) {
        sysopen(my $file, $path, O_PATH) or die "$path: $!\n";
        my $rights = $execute | $read_file | (-d $path ? $read_folder : 0);
        call('landlock_add_rule', $rules, 1, pack('Ql', $rights, fileno $file), 0);
    }
    call('landlock_restrict_self', $rules, 0);
}

sub filter_calls {
    my $filter = pack 'H*', $plan{filter};
    call('seccomp', 1, 0, pack('S x6 P', length($filter) / 8, $filter));
}

sub write_file {
    my ($path, $text) = @_;
    open(my $file, '>', $path) or die "$path: $!\n";
    syswrite($file, $text) // die "$path: $!\n";
}
