// What dpkg runs before and after it has put the package's files in place or taken them away.
const unitNames = 'atoll.service atoll-cluster.service atoll-engine.service'
const folders =
  '/var/lib/atoll /var/lib/atoll-cluster /var/lib/atoll-engine /var/cache/atoll /var/cache/atoll-engine /etc/atoll'

const script = (body: string): string => `#!/bin/sh\nset -e\n\n${body.trim()}\n\nexit 0\n`

/** Of other configurations than the first one, systemd starts what was enabled: the first unit, unless told otherwise. */
const postinst = script(`
if [ "$1" = configure ]; then
  if ! getent passwd atoll > /dev/null; then
    adduser --system --group --quiet --home /var/lib/atoll --no-create-home --gecos 'Atoll' atoll
  fi
  install -d -o atoll -g atoll -m 0700 /var/lib/atoll /var/cache/atoll
  # It may hold passwords of databases and keys of other servers.
  if [ -f /etc/atoll/config.json ]; then
    chgrp atoll /etc/atoll/config.json
    chmod 0640 /etc/atoll/config.json
  fi
  deb-systemd-helper unmask atoll.service > /dev/null || true
  if deb-systemd-helper --quiet was-enabled atoll.service; then
    deb-systemd-helper enable atoll.service > /dev/null || true
  else
    deb-systemd-helper update-state atoll.service > /dev/null || true
  fi
  if [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload > /dev/null || true
    for unit in ${unitNames}; do
      if systemctl --quiet is-enabled "$unit" 2> /dev/null; then deb-systemd-invoke start "$unit" > /dev/null || true; fi
    done
  fi
fi
`)

/** Also before an upgrade: code that a running server loads later must be of its own version. */
const prerm = script(`
if [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop ${unitNames} > /dev/null || true
fi
# Code that commands given by root have compiled: dpkg does not know of it.
rm -rf /usr/lib/atoll/node_modules/.cache
`)

const postrm = script(`
if [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload > /dev/null || true
fi
if [ "$1" = remove ] && [ -x /usr/bin/deb-systemd-helper ]; then
  deb-systemd-helper mask ${unitNames} > /dev/null || true
fi
if [ "$1" = purge ]; then
  if [ -x /usr/bin/deb-systemd-helper ]; then
    deb-systemd-helper purge ${unitNames} > /dev/null || true
    deb-systemd-helper unmask ${unitNames} > /dev/null || true
  fi
  rm -rf --one-file-system ${folders}
  if getent passwd atoll > /dev/null && [ -x /usr/sbin/deluser ]; then
    deluser --quiet --system atoll || true
  fi
fi
`)

export const maintainerScripts: Record<string, string> = { postinst, prerm, postrm }
