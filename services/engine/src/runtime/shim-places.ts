// Where the shim of a container works, and with what.
import { join } from 'node:path'
import type { ShimPlace } from './container-files.ts'
import type { RuntimePrograms } from './runtime-programs.ts'

export class ShimPlaces {
  private readonly engineFolder: string
  private readonly programs: RuntimePrograms
  private readonly clientMilliseconds: number

  constructor(engineFolder: string, programs: RuntimePrograms, clientMilliseconds: number) {
    this.engineFolder = engineFolder
    this.programs = programs
    this.clientMilliseconds = clientMilliseconds
  }

  /** Of one run. */
  folder(id: string): string {
    return join(this.engineFolder, 'run', id)
  }

  bundle(id: string): string {
    return join(this.engineFolder, 'containers', id, 'bundle')
  }

  of(id: string, runtime: string): ShimPlace {
    return {
      folder: this.folder(id),
      bundle: this.bundle(id),
      runtime: this.programs.path(runtime),
      root: this.programs.root(runtime),
      clientMilliseconds: this.clientMilliseconds,
    }
  }
}
