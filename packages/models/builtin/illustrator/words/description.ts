// What a prompt says, as the illustrator understood it.
import type { NamedColour } from './colours.ts'
import type { Setting } from './settings.ts'
import type { Thing } from './things.ts'

export type RelationKind =
  | 'on'
  | 'under'
  | 'above'
  | 'beside'
  | 'left'
  | 'right'
  | 'front'
  | 'behind'
  | 'in'
  | 'between'
  | 'worn'
  | 'held'

export interface Relation {
  kind: RelationKind
  /** Places in the list of things. */
  to: number
  /** The second of two it is between. */
  and?: number
}

export type Spot = 'left' | 'right' | 'middle' | 'background' | 'foreground' | 'sky'

export interface Described {
  thing: Thing
  count: number
  colours: NamedColour[]
  /** 1 is usual. */
  size: number
  sizeWord?: string
  lettering?: string
  relation?: Relation
  spot?: Spot
  /** The word of the prompt that this stands for, where it is drawn as something near in meaning. */
  meant?: string
}

export interface Description {
  things: Described[]
  setting: Partial<Setting>
  /** Lettering that stands on nothing. */
  title?: string
  /** Words that seemed to name something, and that nothing is drawn for. */
  unknown: string[]
}
