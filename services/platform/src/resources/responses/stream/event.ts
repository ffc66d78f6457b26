// What readers of a response's stream are told, one after the other.

/** Before it has its number. */
export interface EventBody {
  type: string
  [field: string]: unknown
}

export interface ResponseEvent extends EventBody {
  sequence_number: number
}

export type Tell = (event: EventBody) => void

/** After these nothing follows. */
const lastTypes = ['completed', 'incomplete', 'failed', 'cancelled'].map((status) => `response.${status}`)
export const isLast = ({ type }: EventBody): boolean => lastTypes.includes(type)
