// What a RUN is planned with.
import type { BuildWorkspace, CopyFrom } from '../images/build-store.ts'
import type { CacheMounts } from './cache-mounts.ts'
import type { TemplateForm } from './dockerfile/template.ts'
import type { BuildOptions } from './options.ts'
import type { StageState } from './stage-state.ts'
import type { StepOffers } from './step-offers.ts'
import type { StepSecrets } from './step-secrets.ts'

export interface RunParts {
  workspace: BuildWorkspace
  state: StageState
  form: TemplateForm
  options: BuildOptions
  /** A stage or an image by its name; empty: the context. */
  source(name: string): Promise<CopyFrom>
  cacheMounts: CacheMounts
  secrets: StepSecrets
  /** Absent: the caller can offer nothing. */
  offers: StepOffers | undefined
}
