// A port whose calls all carry the adapter of a fine-tuned model.
import type { Call } from '@atoll/models/call'

/** Every method of a port takes its call last. */
export function withAdapter<Port extends object>(port: Port, adapter: string): Port {
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...given: unknown[]): unknown => {
        const call = given.at(-1)
        const isCall = typeof call === 'object' && call !== null && 'signal' in call && 'turn' in call
        const passed = isCall ? [...given.slice(0, -1), { ...(call as Call), adapter }] : given
        return Reflect.apply(value, target, passed)
      }
    },
  })
}
