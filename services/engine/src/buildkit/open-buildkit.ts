// BuildKit's two ways in, put together.
import type { Methods } from '../grpc/serve.ts'
import { type ControlParts, controlMethods } from './control-methods.ts'
import { HttpBuilds } from './http-builds.ts'
import { KeptFolders } from './session/kept-folders.ts'
import { Sessions } from './session/sessions.ts'
import { type SolveParts, Solves } from './solve/solves.ts'

export interface BuildKit {
  sessions: Sessions
  builds: HttpBuilds
  methods: Methods
}

interface KitParts extends Pick<SolveParts, 'work' | 'save'>, Omit<ControlParts, 'solves'> {
  /** Where folders of clients are kept from build to build. */
  contextFolder: string
}

export function openBuildKit({ work, save, cache, engineId, contextFolder }: KitParts): BuildKit {
  const sessions = new Sessions()
  const parts = { work, save, sessions, kept: new KeptFolders(contextFolder) }
  return {
    sessions,
    builds: new HttpBuilds(parts),
    methods: controlMethods({ solves: new Solves(parts), cache, engineId }),
  }
}
