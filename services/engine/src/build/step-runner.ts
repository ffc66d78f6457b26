// Runs the command of a step in a container.
import type { HostSettings } from '../resources/containers/schema.ts'

export interface StepCommand {
  /** From `BuildWorkspace.stepImage`. */
  image: string
  argv: string[]
  env: string[]
  user: string
  workingDir: string
  hostConfig: HostSettings
}

export interface StepWatch {
  started(containerId: string): Promise<void>
  /** Resolves when more may come. */
  output(stream: 'stdout' | 'stderr', text: string): Promise<void>
  /** It has ended well and is still there. */
  ended(containerId: string): Promise<void>
  removed(containerId: string): Promise<void>
}

export interface StepRunner {
  /** Resolves with the exit code, once nothing is left of the container. */
  run(command: StepCommand, watch: StepWatch, signal: AbortSignal): Promise<number>
}
