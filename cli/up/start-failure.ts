// Says why Atoll did not start, in a line or a few; the stack only to those who ask for it.
import { ConfigError } from '@atoll/kernel/config/config-error'
import { redact } from '@atoll/kernel/telemetry/redaction'
import type { AtollConfig } from '../config.ts'

export function startFailure(error: unknown, config?: Pick<AtollConfig, 'data' | 'host' | 'log'>): string {
  if (error instanceof ConfigError) {
    return `Atoll did not start: the configuration is wrong.\n${error.problems.map((line) => `  ${line}\n`).join('')}`
  }
  const level = config?.log.level ?? process.env.ATOLL_LOG_LEVEL
  const stack = level === 'debug' && error instanceof Error ? `${redact(error.stack ?? '')}\n` : ''
  return `Atoll did not start: ${redact(reason(error, config))}\n${stack}`
}

function reason(error: unknown, config: Parameters<typeof startFailure>[1]): string {
  if (!(error instanceof Error)) return String(error)
  const { code, port, path } = error as NodeJS.ErrnoException & { port?: number }
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} on ${config?.host} is in use by another program. Choose another with --port.`
    case 'EADDRNOTAVAIL':
      return `this machine has no address ${config?.host}. Choose another with --host.`
    case 'EACCES':
      if (port !== undefined) return `port ${port} needs the rights of root. Choose one above 1023 with --port.`
      return `no permission for ${path ?? 'a file'}.${underData(path, config)}`
    case 'EROFS':
      return `${path ?? 'the data folder'} cannot be written to.${underData(path, config)}`
    case 'ENOSPC':
      return 'the disk is full.'
    default:
      return error.message || error.name
  }
}

function underData(path: string | undefined, config: Parameters<typeof startFailure>[1]): string {
  return path && config && path.startsWith(config.data) ? ' Choose another folder with --data.' : ''
}

/** A fault of the program itself, at any time: its stack is what whoever repairs it needs, its secrets are not. */
export function crashed(error: unknown): never {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`Atoll ended by a fault of its own: ${redact(text)}\n`)
  process.exit(1)
}
