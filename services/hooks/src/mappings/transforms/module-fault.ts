// What a module did wrong, told from what it threw; that is read with care, since the module made it.
import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'
import { transformLimits } from './limits.ts'

export class ModuleFault extends Error {
  override name = 'ModuleFault'
}

const maxShownCharacters = 300

export const tookTooLong = (): ModuleFault =>
  new ModuleFault(`took longer than ${transformLimits.cpuMs} ms of computing`)

export function thrownFault(context: QuickJSContext, thrown: QuickJSHandle): ModuleFault {
  const kind = context.typeof(thrown)
  if (kind !== 'object') return new ModuleFault(`threw ${shown(kind === 'string' ? context.getString(thrown) : kind)}`)
  const name = textAt(context, thrown, 'name')
  const message = textAt(context, thrown, 'message')
  if (message === 'out of memory')
    return new ModuleFault(`used up its ${transformLimits.memoryBytes / 2 ** 20} MB of memory`)
  // An interpreter that has no memory left for an error throws null.
  if (name === '' && message === '') return new ModuleFault('threw nothing that can be read, or used up its memory')
  if (message === 'stack overflow') return new ModuleFault('calls itself too deeply')
  return new ModuleFault(`threw ${shown([name, message].filter((part) => part !== '').join(': '))}`)
}

function textAt(context: QuickJSContext, object: QuickJSHandle, key: string): string {
  try {
    using property = context.getProp(object, key)
    return context.typeof(property) === 'string' ? context.getString(property) : ''
  } catch {
    return ''
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they are
const shown = (text: string): string => text.slice(0, maxShownCharacters).replace(/[\u0000-\u001f\u007f]+/g, ' ')
