// Tries credentials at a registry.
import { STATUS_CODES } from 'node:http'
import { RegistryProblem } from './failure.ts'
import { RegistrySession, type SessionOptions } from './session.ts'

const maxAnswerBytes = 64 * 1024

export interface Login {
  /** Stands for the password from now on, where the registry gives such. */
  identityToken: string | undefined
}

export async function logIn(
  options: Omit<SessionOptions, 'scopes' | 'wantsIdentity'>,
  signal: AbortSignal,
): Promise<Login> {
  const session = await RegistrySession.open({ ...options, scopes: [], wantsIdentity: true }, signal)
  const url = `${options.endpoint.base}/v2/`
  const answer = await session.sendAnyhow({ method: 'GET', to: url, signal }, maxAnswerBytes)
  if (answer.status === 200) return { identityToken: session.identityToken }
  const line = `login attempt to ${url} failed with status: ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`
  throw new RegistryProblem(answer.status === 401 ? 'UNAUTHORIZED' : 'UNEXPECTED', line.trim())
}
