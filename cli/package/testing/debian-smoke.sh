#!/bin/sh
# Installs a Debian package on a copy of a system that is gone afterwards (this machine's, or that in the folder BASE),
# uses it without a network as systemd would start it, and removes it again. As root, in mount, network and process
# namespaces of its own:
#   unshare --mount --net --pid --fork --kill-child debian-smoke.sh PACKAGE FOLDER [BASE]
set -eu
# Both in one transcript, in the order in which they were said.
exec 2>&1
# As on a machine of its own, where commands of root keep compiled code beside the program.
unset NODE_COMPILE_CACHE
package=$1
folder=$2
base=${3:-/}
root=$folder/root

say() { echo "== $*"; }

mount -t tmpfs tmpfs "$folder"
mkdir "$root" "$folder/changed" "$folder/work"
mount -t overlay overlay -o "lowerdir=$base,upperdir=$folder/changed,workdir=$folder/work" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
cp "$package" "$root/tmp/atoll.deb"
ip link set lo up
# Says what it runs where the transcript goes, also while its output is read.
inside() {
  echo "\$ $*" >&2
  chroot "$root" "$@"
}
# As systemd does for the unit: its user, its folders, its variables.
unit=$root/lib/systemd/system/atoll.service
as_unit() { inside env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/var/lib/atoll XDG_CACHE_HOME=/var/cache setpriv --reuid atoll --regid atoll --init-groups --no-new-privs "$@"; }

say install
inside dpkg --install /tmp/atoll.deb
inside getent passwd atoll
inside stat --format '%U %a %n' /etc/atoll/config.json /var/lib/atoll
test "$(inside stat --format %U:%a /var/lib/atoll)" = atoll:700
test "$(inside stat --format %G:%a /etc/atoll/config.json)" = atoll:640
inside atoll --version

say start
command=$(sed -n 's/^ExecStart=//p' "$unit")
grep -q '^User=atoll$' "$unit"
echo "$command"
# shellcheck disable=SC2086
as_unit $command --port 8080 > "$folder/log" 2>&1 &
server=$!
tries=0
until curl --silent --fail --output /dev/null http://127.0.0.1:8080/readyz; do
  tries=$((tries + 1))
  if ! kill -0 "$server" || [ "$tries" -gt 1200 ]; then cat "$folder/log"; exit 1; fi
  sleep 0.1
done
key=$(as_unit atoll keys create project --data /var/lib/atoll | grep -o 'sk-[A-Za-z0-9_-]*' | head -1)

say chat
echo '$ curl http://127.0.0.1:8080/v1/chat/completions …'
curl --silent --fail http://127.0.0.1:8080/v1/chat/completions -H "Authorization: Bearer $key" \
  -H 'Content-Type: application/json' \
  -d '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Say hello."}],"max_tokens":10}' | tee "$folder/answer"
echo
grep -q '"model":"atoll-chat"' "$folder/answer"
as_unit atoll upgrade --check --config /etc/atoll/config.json --data /var/lib/atoll | tee "$folder/upgrade"
grep -q 'the Debian package in /usr/lib/atoll' "$folder/upgrade"

say stop
as_unit atoll stop --data /var/lib/atoll
wait "$server"

say remove
echo '{ "port": 9090 }' > "$root/etc/atoll/config.json"
inside dpkg --remove atoll
test ! -e "$root/usr/lib/atoll"
test ! -e "$unit"
test -e "$root/var/lib/atoll/atoll.db"
grep -q 9090 "$root/etc/atoll/config.json"
echo "left: $(ls -d "$root/var/lib/atoll/atoll.db" "$root/etc/atoll/config.json" | sed "s,^$root,," | tr '\n' ' ')"

say purge
inside dpkg --purge atoll
test ! -e "$root/var/lib/atoll"
test ! -e "$root/etc/atoll"
if inside getent passwd atoll; then exit 1; fi
say done
