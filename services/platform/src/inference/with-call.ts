// A port whose calls all carry what a fine-tuned model adds to its base.
import type { Call } from '@atoll/models/call'

/** Every method of a port takes its call last. */
export function withCall<Port extends object>(port: Port, more: Pick<Call, 'adapter' | 'model'>): Port {
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...given: unknown[]): unknown => {
        const call = given.at(-1)
        const isCall = typeof call === 'object' && call !== null && 'signal' in call && 'turn' in call
        const passed = isCall ? [...given.slice(0, -1), { ...(call as Call), ...more }] : given
        return Reflect.apply(value, target, passed)
      }
    },
  })
}
