// What a build is asked for, whichever way it came.
import type { Platform } from '../images/images.ts'
import type { HostSettings } from '../resources/containers/schema.ts'

export interface BuildOptions {
  /** Asked for as BuildKit's: where the two builders of docker differ, it is built as that one does. */
  isBuildKit?: boolean
  /** By name; null: its value is not known to the caller. */
  buildArgs: Readonly<Record<string, string | null>>
  labels: Readonly<Record<string, string>>
  /** A stage by name or number; empty: the last one. */
  target: string
  platform: Platform | undefined
  /** Canonical names for the image. */
  names: readonly string[]
  isCacheOff: boolean
  /** Stages (names in lower case) whose steps are run again. */
  uncachedStages?: ReadonlySet<string>
  /** Base images are asked for at their registry even if they are here. */
  pulls: boolean
  /** Images whose layers may be taken instead of making them anew. */
  cacheFrom: readonly string[]
  /** What this engine has built before is no cache then: so the classic builder has it. */
  isCacheFromOnly?: boolean
  networkMode: string
  extraHosts: readonly string[]
  /** Of the containers that steps run in. */
  limits: HostSettings
}

/** Without being asked, what git keeps for itself is no part of a context. */
export const keepsGitDir = ({ buildArgs }: BuildOptions): boolean =>
  /^(1|t|true)$/i.test(buildArgs.BUILDKIT_CONTEXT_KEEP_GIT_DIR ?? '')
