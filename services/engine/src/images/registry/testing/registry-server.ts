// Debian's docker-registry on loopback, in a folder of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@atoll/testkit/free-port'

const program = ['/usr/bin/docker-registry', '/usr/local/bin/docker-registry'].find((path) => existsSync(path))

export const hasRegistry = program !== undefined

if (!hasRegistry) console.warn('Tests against a real registry are skipped: install the package docker-registry')

/** The password that the file for basic auth knows. */
export const registryUser = { username: 'lotte', password: 's3cret-word' }
const passwords = 'lotte:$2b$05$PQjPA023mN1573XITGsBbu8HDdBFilpxu6h9Gv5OcPTLbS0P8vV3m\n'

interface RegistryWish {
  basicAuth?: boolean
  /** Where clients get tokens, and the certificate (PEM) that signs them. */
  tokens?: { realm: string; certificate: string }
  tls?: { cert: string; key: string }
}

export interface RegistryServer {
  /** `127.0.0.1:41234` */
  host: string
  stop(): Promise<void>
}

export async function startRegistry(wish: RegistryWish = {}): Promise<RegistryServer> {
  if (program === undefined) throw new Error('docker-registry is not installed')
  const folder = await mkdtemp(join(tmpdir(), 'atoll-registry-'))
  const port = await freePort()
  await mkdir(join(folder, 'data'))
  const config = join(folder, 'config.yml')
  await writeFile(join(folder, 'passwords'), passwords)
  await writeFile(join(folder, 'tokens.pem'), wish.tokens?.certificate ?? '')
  await writeFile(join(folder, 'cert.pem'), wish.tls?.cert ?? '')
  await writeFile(join(folder, 'key.pem'), wish.tls?.key ?? '')
  await writeFile(config, JSON.stringify(configuration(folder, port, wish))) // JSON is YAML too
  const child = spawn(program, ['serve', config], { stdio: 'ignore', env: { OTEL_TRACES_EXPORTER: 'none' } })
  const host = `127.0.0.1:${port}`
  await answers(child, `${wish.tls === undefined ? 'http' : 'https'}://${host}`, port)
  return {
    host,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const configuration = (folder: string, port: number, { basicAuth, tokens, tls }: RegistryWish): object => ({
  version: 0.1,
  log: { level: 'error' },
  storage: { filesystem: { rootdirectory: join(folder, 'data') }, delete: { enabled: true } },
  http: {
    addr: `127.0.0.1:${port}`,
    secret: 'only-for-tests',
    ...(tls && { tls: { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') } }),
  },
  ...(basicAuth && { auth: { htpasswd: { realm: 'tests', path: join(folder, 'passwords') } } }),
  ...(tokens && {
    auth: {
      token: {
        realm: tokens.realm,
        service: 'test-registry',
        issuer: 'test-issuer',
        rootcertbundle: join(folder, 'tokens.pem'),
      },
    },
  }),
})

/** Until it listens: whatever it says, it is up. */
async function answers(child: ChildProcess, url: string, port: number): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (child.exitCode !== null) throw new Error(`docker-registry ended with ${child.exitCode}`)
    const isUp = url.startsWith('https')
      ? await listens(port)
      : await fetch(`${url}/v2/`).then(
          () => true,
          () => false,
        )
    if (isUp) return
    await sleep(25)
  }
  throw new Error('docker-registry did not come up')
}

async function listens(port: number): Promise<boolean> {
  const { connect } = await import('node:net')
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
