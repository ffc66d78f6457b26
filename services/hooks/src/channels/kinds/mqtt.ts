// MQTT 5: each message carries its id as a user property, for those who read it twice.
import { connectAsync, type MqttClient } from 'mqtt'
import { type Channel, NotSent } from '../channel.ts'
import type { SettingsOf } from '../config.ts'
import type { FindAddress } from '../net/find-address.ts'
import { splitText } from '../split-text.ts'
import { KeptConnection } from './kept-connection.ts'

const timeoutMs = 10_000
const maxBytes = 128 * 1024
/** Reason codes from here on say that the broker refuses. */
const firstRefusal = 128
const quotaExceeded = 151

export function mqttChannel(settings: SettingsOf<'mqtt'>, findAddress: FindAddress): Channel {
  const { protocol, hostname, port } = new URL(settings.url)
  const isTls = protocol === 'mqtts:'
  const connection = new KeptConnection<MqttClient>({
    async open(lost) {
      const host = await findAddress(hostname)
      const client = await connectAsync({
        ...{ protocol: isTls ? 'mqtts' : 'mqtt', host, port: Number(port) || (isTls ? 8883 : 1883) },
        ...(isTls && { servername: hostname }),
        ...(settings.user !== undefined && { username: settings.user, password: settings.password }),
        ...{ protocolVersion: 5, clean: true, reconnectPeriod: 0, connectTimeout: timeoutMs },
      })
      client.on('error', () => undefined).once('close', lost)
      return client
    },
    close: (client) => client.endAsync(true),
  })
  return {
    kind: 'mqtt',
    deduplicates: true,
    problemOf: (to) => (/^[^+#\0]{1,1000}$/.test(to) ? undefined : 'an MQTT recipient is a topic without + and #'),
    split: (text) => splitText(text, maxBytes, 'bytes'),
    async send({ to, text, id }, signal) {
      const topic = `${settings.topicPrefix}${to}`
      const properties = { userProperties: { id }, contentType: 'text/plain' }
      try {
        await connection.use(async (client) => {
          const sent = client.publishAsync(topic, text, { qos: settings.qos, properties })
          await Promise.race([sent, outOfTime(signal)])
        })
      } catch (error) {
        throw failureOf(error)
      }
    },
    close: () => connection.close(),
  }
}

function outOfTime(signal: AbortSignal): Promise<never> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  return new Promise((_, reject) => {
    limit.addEventListener('abort', () =>
      reject(new NotSent('The broker did not answer in time.', { uncertain: true })),
    )
  })
}

function failureOf(error: unknown): NotSent {
  if (error instanceof NotSent) return error
  const { code, message } = error as { code?: unknown; message: string }
  const isRefusal = typeof code === 'number' && code >= firstRefusal && code !== quotaExceeded
  return new NotSent(`The broker did not take it: ${message}`, { forGood: isRefusal, uncertain: true, cause: error })
}
