// A page of usage or costs as tests read it.
export interface UsagePage {
  object: string
  data: { object: string; start_time: number; end_time: number; results: Record<string, unknown>[] }[]
  has_more: boolean
  next_page: string | null
}

export const asPage = (answer: unknown): UsagePage => answer as UsagePage
