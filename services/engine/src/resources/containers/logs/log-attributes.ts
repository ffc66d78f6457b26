// What `details` puts before a line: labels and variables of the container that its log options name.
import { chosenAttributes, hasTag, logTag } from '../../../log-drivers/container-attributes.ts'
import type { ContainerRecord } from '../record.ts'

/** Sorted by name, as `a=b,c=d` with what is special in it encoded; empty when the options name nothing. */
export function logAttributes(container: ContainerRecord): string {
  const attributes = { ...chosenAttributes(container), ...(hasTag(container) ? { tag: logTag(container) } : {}) }
  return Object.entries(attributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join(',')
}

const encode = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+')
