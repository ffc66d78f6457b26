// What holds a Python process back, should its code ever get out of WebAssembly and out of Node's permissions.

export interface Wall {
  /** What it keeps the process from. */
  against: 'files' | 'network' | 'processes' | 'system calls' | 'rights'
  /** Undefined: on this machine there is none. */
  by: string | undefined
}

export const missingWalls = (walls: Wall[]): string[] =>
  walls.filter(({ by }) => by === undefined).map(({ against }) => missing[against])

const missing: Readonly<Record<Wall['against'], string>> = {
  files: "the machine's files (it needs user namespaces or Landlock)",
  network: 'the network (it needs user namespaces or seccomp)',
  processes: 'other processes (it needs user namespaces or seccomp)',
  'system calls': 'system calls that it has no use for (it needs perl and seccomp)',
  rights: 'the rights of its user (it needs a code folder that everybody can read, or user namespaces)',
}
