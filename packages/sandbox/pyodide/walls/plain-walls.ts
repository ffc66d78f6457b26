// Fewer walls, by programs of the system, for machines where build-walls.pl cannot run: no Perl, another processor.
import type { Isolation } from './isolation.ts'
import { findProgram } from './programs.ts'
import type { ResourceLimits } from './resource-limits.ts'
import type { Wall } from './wall.ts'

const nobody = 65534

/** The strongest first. The last one has no walls at all: Node's permissions and the shell's limits are left. */
export function* plainWalls(isRoot: boolean): Generator<Isolation> {
  const unshare = findProgram('unshare')
  const setpriv = findProgram('setpriv')
  if (setpriv !== undefined) {
    // Ends with its parent, whatever happens to that.
    const bound = [setpriv, '--pdeathsig', 'KILL']
    const plain = [...bound, '--no-new-privs', '--inh-caps=-all']
    const powerless = [...plain, '--bounding-set=-all']
    const other = [...powerless, `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
    const apart = ['--net', '--pid', '--ipc', '--uts', '--kill-child']
    if (unshare !== undefined && isRoot) {
      yield isolation([...bound, unshare, ...apart, ...other], { apart: true, user: 'the user nobody' })
      yield isolation([...bound, unshare, ...apart, ...powerless], { apart: true })
    }
    if (unshare !== undefined) {
      yield isolation([...bound, unshare, '--user', ...apart, ...plain], { apart: true, user: 'a user namespace' })
    }
    if (isRoot) yield isolation(other, { user: 'the user nobody' })
    yield isolation(isRoot ? powerless : plain, isRoot ? {} : { user: 'no new privileges' })
  }
  yield isolation([], {})
}

function isolation(prefix: string[], { apart = false, user }: { apart?: boolean; user?: string }): Isolation {
  const walls: Wall[] = [
    { against: 'files', by: undefined },
    { against: 'network', by: apart ? 'a network namespace' : undefined },
    { against: 'processes', by: apart ? 'a process namespace' : undefined },
    { against: 'system calls', by: undefined },
    { against: 'rights', by: user },
  ]
  return { forks: apart, walls, wrap: (command, limits) => [...prefix, ...limited(limits, command)] }
}

/** The shell sets these, then becomes the command. */
const limited = ({ dataBytes, cpuSeconds, openFiles, stackKilobytes }: ResourceLimits, command: string[]): string[] => [
  '/bin/sh',
  '-c',
  `ulimit -c 0; ulimit -f 0; ulimit -s ${stackKilobytes}; ulimit -n ${openFiles}; ulimit -d ${Math.ceil(dataBytes / 1024)}; ulimit -t ${cpuSeconds}; exec "$@"`,
  'sh',
  ...command,
]
