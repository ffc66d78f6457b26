// Where the work on a response is written down: at its end and at once, or step by step, so that it survives a crash.
import type { ToolOutcome } from '../../../tool-loop/tools/hosted-tool.ts'
import type { KeptItem } from '../../conversations/items/kept-item.ts'
import type { ResponseStatus } from '../schema.ts'
import type { Progress } from '../state.ts'
import type { Tell } from '../stream/event.ts'

export interface Written {
  progress: Progress
  added?: readonly KeptItem[]
  changed?: readonly KeptItem[]
  keepIn?: ToolOutcome['keepIn'] | undefined
}

export type EndStatus = Extract<ResponseStatus, 'completed' | 'incomplete' | 'failed' | 'cancelled'>

export interface Journal {
  tell: Tell
  /** Undefined, or a wait until those who read have taken what they were told. */
  pace(): Promise<void> | undefined
  /** Resolves when what must survive a crash does. */
  write(written: Written): Promise<void>
  /** The response has ended; its readers are told. */
  end(status: EndStatus, written: Written): Promise<void>
}
