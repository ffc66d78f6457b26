// A process's environment: the engine's own words first, then the image's and the caller's.
const defaultPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const nameOf = (entry: string): string => entry.split('=', 1)[0] ?? ''

/** A later entry replaces an earlier one of its name; a name alone takes it out. */
export function mergeEnvironment(first: readonly string[], later: readonly string[]): string[] {
  const byName = new Map(first.map((entry) => [nameOf(entry), entry]))
  for (const entry of later) {
    if (entry.includes('=')) byName.set(nameOf(entry), entry)
    else byName.delete(entry)
  }
  return [...byName.values()]
}

export function startEnvironment(process: { hostname: string; tty: boolean; env: readonly string[] }): string[] {
  const own = [
    defaultPath,
    ...(process.hostname === '' ? [] : [`HOSTNAME=${process.hostname}`]),
    ...(process.tty ? ['TERM=xterm'] : []),
  ]
  return mergeEnvironment(own, process.env)
}

/** Unless somebody has said so already: the home of whom the process runs as. */
export const withHome = (env: readonly string[], home: string): string[] =>
  env.some((entry) => nameOf(entry) === 'HOME') ? [...env] : [...env, `HOME=${home}`]
