// One line as a message of the Graylog Extended Log Format, and as the datagrams that it takes.
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { ContainerRecord } from '../../resources/containers/record.ts'
import { chosenAttributes, logTag } from '../container-attributes.ts'
import type { LogLine } from '../log-driver.ts'

const levels = { stdout: 6, stderr: 3 }

/** What every message of a container says of it; its own fields begin with an underscore. */
export function gelfFields(container: ContainerRecord): Record<string, string> {
  const { id, name, imageId, imageName, config, path, args, created } = container
  const chosen = Object.entries(chosenAttributes(container))
  return {
    _container_id: id,
    _container_name: name,
    _image_id: imageId,
    _image_name: config.Image ?? imageName,
    _command: [path, ...args].join(' '),
    _tag: logTag(container),
    _created: created,
    ...Object.fromEntries(chosen.map(([key, value]) => [key.startsWith('_') ? key : `_${key}`, value])),
  }
}

export const gelfMessage = ({ log, stream, time }: LogLine, fields: Record<string, string>): Buffer =>
  Buffer.from(
    JSON.stringify({
      version: '1.1',
      host: hostname(),
      short_message: log,
      timestamp: Date.parse(time) / 1000,
      level: levels[stream],
      ...fields,
    }),
  )

/** Of a datagram, so that it is not cut on its way. */
const maxDatagramBytes = 1_420
const headBytes = 12
const maxChunks = 128

/** Whole, or in numbered pieces. None for a message of more pieces than a receiver takes. */
export function gelfDatagrams(message: Buffer): Buffer[] {
  if (message.length <= maxDatagramBytes) return [message]
  const pieceBytes = maxDatagramBytes - headBytes
  const count = Math.ceil(message.length / pieceBytes)
  if (count > maxChunks) return []
  const id = randomBytes(8)
  return Array.from({ length: count }, (_, index) =>
    Buffer.concat([
      ...[Buffer.from([0x1e, 0x0f]), id, Buffer.from([index, count])],
      message.subarray(index * pieceBytes, (index + 1) * pieceBytes),
    ]),
  )
}
