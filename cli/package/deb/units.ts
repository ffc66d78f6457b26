// The units of the Debian package. Only the first one is started by its installation.
import { unitText } from '../../service/unit.ts'

const configFile = '/etc/atoll/config.json'
const stopSeconds = 25

/** Compiled code is kept there: the program's own folder cannot be written to. */
const cache = ['Environment=XDG_CACHE_HOME=/var/cache', 'CacheDirectory=atoll', 'CacheDirectoryMode=0700']

/** A unit's folder of state is made by systemd, for its user alone. */
const state = (name: string): string[] => [`StateDirectory=${name}`, 'StateDirectoryMode=0700']

const hardening = ['NoNewPrivileges=yes', 'ProtectSystem=full', 'ProtectHome=read-only', 'PrivateTmp=yes']

const start = { program: '/usr/bin/atoll', isUserUnit: false, stopSeconds }
const user = { user: 'atoll' }

export const units: Record<string, string> = {
  'atoll.service': unitText({
    ...{ ...start, ...user, args: ['--config', configFile, '--data', '/var/lib/atoll', '--only', 'platform,hooks'] },
    description: 'Atoll: the model API and the webhook gateway of this machine',
    more: [...state('atoll'), ...cache, ...hardening],
  }),
  'atoll-cluster.service': unitText({
    ...{ ...start, ...user, args: ['--config', configFile, '--data', '/var/lib/atoll-cluster', '--only', 'cluster'] },
    description: 'Atoll: Redis databases of this machine',
    more: [...state('atoll-cluster'), ...cache, ...hardening],
  }),
  // Containers need root.
  'atoll-engine.service': unitText({
    ...{ ...start, args: ['--config', configFile, '--data', '/var/lib/atoll-engine', '--only', 'engine'] },
    description: 'Atoll: the container engine of this machine',
    more: [
      ...state('atoll-engine'),
      'Environment=XDG_CACHE_HOME=/var/cache/atoll-engine',
      'CacheDirectory=atoll-engine',
    ],
  }),
}
