// Settings in the later dialect, translated and checked.
import { checkInput } from '@atoll/kernel/http/validation/validation'
import { kernelErrors } from '../../../errors/errors.ts'
import { SessionUpdate } from '../schema.ts'
import { readLaterSettings } from './later-session.ts'

export const laterUpdate = (session: object): SessionUpdate => checkedUpdate(readLaterSettings(session, 'session'))

/** What a dialect has read. */
export const checkedUpdate = (fields: unknown): SessionUpdate =>
  checkInput(SessionUpdate, fields, 'body', kernelErrors) as SessionUpdate
