import type { RuntimeObject } from '../../api/types.ts'

export interface ModelRow {
  id: string
  ownedBy: string
  serves: string[]
  /** Undefined: it was fine-tuned here, and runs on its base; or it is not told. */
  runtime: RuntimeObject | undefined
}
