import type { ResourceLimits } from './resource-limits.ts'
import type { Wall } from './wall.ts'

export interface Isolation {
  /** The command, held. It sees nothing but what is visible, where there is a wall against files. */
  wrap(command: string[], limits: ResourceLimits, visible: string[]): string[]
  /** What holds the process stays as its parent. */
  forks: boolean
  walls: Wall[]
}
