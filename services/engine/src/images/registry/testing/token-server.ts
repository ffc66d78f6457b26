// A server for bearer tokens, as registries with accounts have one.
import { createHash, createSign, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { selfSignedCertificate } from '@atoll/kernel/http/server/self-signed'
import { registryUser } from './registry-server.ts'

export const identityToken = 'identity-of-lotte'

export interface TokenServer {
  realm: string
  /** PEM of what signs the tokens. */
  certificate: string
  /** What was asked, newest last. */
  asked: { method: string; parameters: URLSearchParams }[]
  /** A token for an account that has not to ask. */
  token(access: readonly string[]): string
  stop(): Promise<void>
}

export async function startTokenServer(folder: string): Promise<TokenServer> {
  const { cert, key } = await selfSignedCertificate(folder)
  const asked: TokenServer['asked'] = []
  const token = (scopes: readonly string[]): string => sign({ cert, key, scopes })
  const server = createServer(async (request, response) => {
    const parameters = await parametersOf(request)
    asked.push({ method: request.method ?? '', parameters })
    const who = whoAsks(request, parameters)
    if (who === 'nobody') {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end('{"details":"incorrect username or password"}')
      return
    }
    const scopes = parameters.getAll('scope').flatMap((scope) => scope.split(' '))
    const granted = who === 'guest' ? scopes.filter((scope) => scope.startsWith('repository:public/')) : scopes
    const wantsIdentity = parameters.get('offline_token') === 'true' && who === 'user'
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        token: token(granted.filter((scope) => !scope.startsWith('repository:forbidden/'))),
        expires_in: 300,
        ...(wantsIdentity && { refresh_token: identityToken }),
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    realm: `http://127.0.0.1:${port}/token`,
    certificate: cert,
    asked,
    token,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function parametersOf(request: IncomingMessage): Promise<URLSearchParams> {
  if (request.method === 'GET') return new URL(request.url ?? '', 'http://x').searchParams
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return new URLSearchParams(text)
}

function whoAsks({ method, headers }: IncomingMessage, parameters: URLSearchParams): 'user' | 'guest' | 'nobody' {
  if (method === 'POST') return parameters.get('refresh_token') === identityToken ? 'user' : 'nobody'
  if (headers.authorization === undefined) return 'guest'
  const pair = Buffer.from(headers.authorization.replace(/^Basic /, ''), 'base64').toString()
  return pair === `${registryUser.username}:${registryUser.password}` ? 'user' : 'nobody'
}

function sign({ cert, key, scopes }: { cert: string; key: string; scopes: readonly string[] }): string {
  const now = Math.floor(Date.now() / 1000)
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const der = new X509Certificate(cert)
  const isElliptic = der.publicKey.asymmetricKeyType === 'ec'
  const header = encode({ typ: 'JWT', alg: isElliptic ? 'ES256' : 'RS256', x5c: [der.raw.toString('base64')] })
  const access = scopes.map((scope) => {
    const [type = '', name = '', actions = ''] = scope.split(':')
    return { type, name, actions: actions.split(',') }
  })
  const claims = encode({
    iss: 'test-issuer',
    sub: registryUser.username,
    aud: 'test-registry',
    exp: now + 300,
    nbf: now - 10,
    iat: now,
    jti: createHash('sha256').update(`${now}${scopes}`).digest('hex').slice(0, 16),
    access,
  })
  const signer = createSign('SHA256').update(`${header}.${claims}`)
  const signature = signer.sign(isElliptic ? { key, dsaEncoding: 'ieee-p1363' } : key)
  return `${header}.${claims}.${signature.toString('base64url')}`
}
