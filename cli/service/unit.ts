// The systemd unit of an Atoll that starts with the machine, or with its user.

export interface UnitSettings {
  /** Absolute path of ./atoll. */
  program: string
  /** Of `up`. */
  args: readonly string[]
  /** Who it runs as; absent in a unit of a user, and for root. */
  user?: string
  isUserUnit: boolean
  /** What `up` waits for work under way, and some more. */
  stopSeconds: number
  description?: string
  /** More lines of its service. */
  more?: readonly string[]
}

export const unitName = 'atoll.service'

export function unitText({
  program,
  args,
  user,
  isUserUnit,
  stopSeconds,
  description,
  more = [],
}: UnitSettings): string {
  const lines = [
    '[Unit]',
    `Description=${description ?? 'Atoll, the model cloud of this machine'}`,
    ...(isUserUnit ? [] : ['Wants=network-online.target', 'After=network-online.target']),
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${[program, 'up', ...args].map(quoted).join(' ')}`,
    'ExecReload=/bin/kill -HUP $MAINPID',
    ...(user === undefined ? [] : [`User=${user}`]),
    'Restart=on-failure',
    'RestartSec=2',
    `TimeoutStopSec=${stopSeconds}`,
    '# Containers and databases go on while Atoll is stopped or updated.',
    'KillMode=process',
    'UMask=0077',
    ...more,
    '',
    '[Install]',
    `WantedBy=${isUserUnit ? 'default.target' : 'multi-user.target'}`,
  ]
  return `${lines.join('\n')}\n`
}

/** A word of a command line, as systemd reads it. */
function quoted(word: string): string {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$')
  if (/^[\w./:@=,%$+-]+$/.test(plain)) return plain
  return `"${plain.replaceAll('\\', String.raw`\\`).replaceAll('"', String.raw`\"`)}"`
}
