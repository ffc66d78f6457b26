// Settings in the later dialect, translated and checked.
import { checkInput } from '@atoll/kernel/http/validation'
import { kernelErrors } from '../../../errors/errors.ts'
import { SessionUpdate } from '../schema.ts'
import { readLaterSettings } from './later-session.ts'

export const laterUpdate = (session: object): SessionUpdate =>
  checkInput(SessionUpdate, readLaterSettings(session, 'session'), 'body', kernelErrors) as SessionUpdate
