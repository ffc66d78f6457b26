// What a client knows and this engine does not: secrets, and who it is at a registry.
import { codes, GrpcFailure } from '../../grpc/status.ts'
import type { RegistryAuth } from '../../images/image-registry.ts'
import { CredentialsRequest, CredentialsResponse, methods, SecretRequest, SecretResponse } from '../protocol/session.ts'
import { mayOffer, type Session } from './sessions.ts'

const isNotFound = (error: unknown): boolean => error instanceof GrpcFailure && error.code === codes.notFound
const isUnknown = (error: unknown): boolean => error instanceof GrpcFailure && error.code === codes.unimplemented

/** Undefined: the client has none of that name. */
export async function askSecret(session: Session, id: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
  if (!mayOffer(session, methods.secret)) return undefined
  try {
    return (await session.client.unary(methods.secret, SecretRequest, { id }, SecretResponse, { signal })).data
  } catch (error) {
    if (isNotFound(error) || isUnknown(error)) return undefined
    throw error
  }
}

/** Undefined: it is nobody there. */
export async function askCredentials(
  session: Session,
  host: string,
  signal: AbortSignal,
): Promise<RegistryAuth | undefined> {
  if (!mayOffer(session, methods.credentials)) return undefined
  const answer = await session.client
    .unary(methods.credentials, CredentialsRequest, { host }, CredentialsResponse, { signal })
    .catch((error: unknown) => {
      if (isNotFound(error) || isUnknown(error)) return undefined
      throw error
    })
  if (answer === undefined || answer.secret === '') return undefined
  // Without a name it is a token that stands for one.
  return answer.username === ''
    ? { identitytoken: answer.secret }
    : { username: answer.username, password: answer.secret }
}
