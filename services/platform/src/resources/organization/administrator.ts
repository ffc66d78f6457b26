// Who administers: the organization it is about, and all that the audit log tells of whoever changes something.
import type { RequestHead } from '@atoll/kernel/http/route'
import type { AdminCaller } from '../../callers.ts'

export interface Administrator extends Pick<RequestHead, 'address' | 'headers'> {
  caller: AdminCaller
}
