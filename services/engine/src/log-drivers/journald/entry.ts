// One line as an entry of the journal, with the fields by which `journalctl CONTAINER_NAME=web` finds it.
import type { ContainerRecord } from '../../resources/containers/record.ts'
import { chosenAttributes, logTag } from '../container-attributes.ts'
import type { LogLine } from '../log-driver.ts'

type Fields = Record<string, string>

const priorities = { stdout: '6', stderr: '3' }
const shortIdLength = 12

/** Names of fields are of capitals, digits and underscores, and do not begin with one. */
const fieldName = (text: string): string =>
  text
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '_')
    .replace(/^_+/, '')

export function containerFields(container: ContainerRecord): Fields {
  const { id, name, imageName, config } = container
  const tag = logTag(container)
  const chosen = Object.entries(chosenAttributes(container)).map(([key, value]) => [fieldName(key), value])
  return {
    ...Object.fromEntries(chosen.filter(([key]) => key !== '')),
    CONTAINER_ID: id.slice(0, shortIdLength),
    CONTAINER_ID_FULL: id,
    CONTAINER_NAME: name,
    CONTAINER_TAG: tag,
    IMAGE_NAME: config.Image ?? imageName,
    SYSLOG_IDENTIFIER: tag,
  }
}

const partFields = ({ part }: LogLine): Fields =>
  part === undefined
    ? {}
    : {
        CONTAINER_PARTIAL_ID: part.id,
        CONTAINER_PARTIAL_ORDINAL: String(part.ordinal),
        CONTAINER_PARTIAL_LAST: String(part.isLast),
        ...(part.isLast ? {} : { CONTAINER_PARTIAL_MESSAGE: 'true' }),
      }

export function journalEntry(line: LogLine, fields: Fields): Buffer {
  const all = {
    ...fields,
    ...partFields(line),
    SYSLOG_TIMESTAMP: line.time,
    PRIORITY: priorities[line.stream],
    MESSAGE: line.log,
  }
  return Buffer.concat(Object.entries(all).map(([name, value]) => encodeField(name, value)))
}

/** A value with line ends comes behind its length. */
function encodeField(name: string, value: string): Buffer {
  if (!value.includes('\n')) return Buffer.from(`${name}=${value}\n`)
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(bytes.length))
  return Buffer.concat([Buffer.from(`${name}\n`), length, bytes, Buffer.from('\n')])
}
