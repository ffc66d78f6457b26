// What is known of the place an issue lies in.
import type { Issue } from '../error.ts'
import type { PathStep } from './param-path.ts'
import type { Spot } from './schema-walk.ts'

export interface Context extends Spot {
  place: Issue['place']
  /** Where `value` stands in the whole input. */
  path: readonly PathStep[]
}

/** An issue, and how deep in the input it lies: unions are judged by that. */
export interface Finding {
  issue: Issue
  depth: number
}
