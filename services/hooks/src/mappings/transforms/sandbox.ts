// One module in QuickJS, which is WebAssembly: it reaches nothing but what it is given. Every call gets an interpreter of
// its own, so that nothing stays from one call to the next.
import {
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
  Scope,
} from 'quickjs-emscripten-core'
import { guestInput } from './guest-input.ts'
import { transformLimits } from './limits.ts'
import { ModuleFault, thrownFault, tookTooLong } from './module-fault.ts'

const jobsAtOnce = 100
const fileName = 'transform.js'

/** The first of `names` that the module exports as a function. Faults of the module are ModuleFaults. */
export const findExport = (interpreter: QuickJSWASMModule, code: string, names: readonly string[]): string =>
  inGuest(interpreter, (guest) => {
    const exports = guest.evaluate(code)
    const found = names.find((name) => guest.context.typeof(guest.property(exports, name)) === 'function')
    if (found === undefined) throw new ModuleFault(`exports no function ${names.join(' or ')}`)
    return found
  })

/** JSON of what the function returned, or undefined. */
export const callExport = (
  interpreter: QuickJSWASMModule,
  { code, exportName, input }: { code: string; exportName: string; input: string },
): string | undefined =>
  inGuest(interpreter, (guest) => {
    // Taken before the module runs, which may change what these names mean.
    const makeInput = guest.take(guest.context.evalCode(guestInput))
    const stringify = guest.property(guest.property(guest.context.global, 'JSON'), 'stringify')
    const transform = guest.property(guest.evaluate(code), exportName)
    const argument = guest.call(makeInput, guest.text(input))
    return guest.json(stringify, guest.settle(guest.call(transform, argument)))
  })

function inGuest<Result>(interpreter: QuickJSWASMModule, work: (guest: Guest) => Result): Result {
  let outcome: { result: Result } | { fault: ModuleFault } | undefined
  Scope.withScope((scope) => {
    try {
      outcome = { result: work(new Guest(interpreter, scope)) }
    } catch (error) {
      if (!(error instanceof ModuleFault)) throw error
      outcome = { fault: error }
    }
  })
  if (outcome === undefined) throw new Error('The sandbox gave no answer.')
  if ('fault' in outcome) throw outcome.fault
  return outcome.result
}

class Guest {
  readonly context: QuickJSContext
  readonly #runtime: QuickJSRuntime
  readonly #scope: Scope
  readonly #startedAt = process.threadCpuUsage()

  constructor(interpreter: QuickJSWASMModule, scope: Scope) {
    this.#scope = scope
    this.#runtime = scope.manage(interpreter.newRuntime())
    this.#runtime.setMemoryLimit(transformLimits.memoryBytes)
    this.#runtime.setMaxStackSize(transformLimits.stackBytes)
    this.#runtime.setInterruptHandler(() => this.#isLate())
    this.context = scope.manage(this.#runtime.newContext())
  }

  evaluate(code: string): QuickJSHandle {
    return this.settle(this.take(this.context.evalCode(code, fileName, { type: 'module' })))
  }

  call(callee: QuickJSHandle, argument: QuickJSHandle): QuickJSHandle {
    return this.take(this.context.callFunction(callee, this.context.undefined, argument))
  }

  text(text: string): QuickJSHandle {
    return this.#scope.manage(this.context.newString(text))
  }

  property(object: QuickJSHandle, key: string): QuickJSHandle {
    try {
      return this.#scope.manage(this.context.getProp(object, key))
    } catch (error) {
      throw error instanceof RangeError ? error : new ModuleFault(`has a property ${key} that cannot be read`)
    }
  }

  take(result: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (result.error === undefined) return this.#scope.manage(result.value)
    throw this.#fault(this.#scope.manage(result.error))
  }

  /** What a promise comes to; nothing in here can make it wait for the outside. */
  settle(value: QuickJSHandle): QuickJSHandle {
    while (this.#runtime.hasPendingJob()) {
      if (this.#isLate()) throw tookTooLong()
      const ran = this.#runtime.executePendingJobs(jobsAtOnce)
      if (ran.error) throw this.#fault(this.#scope.manage(ran.error))
    }
    const state = this.context.getPromiseState(value)
    if (state.type === 'pending') throw new ModuleFault('returned a promise that never settles')
    if (state.type === 'rejected') throw this.#fault(this.#scope.manage(state.error))
    return state.notAPromise ? value : this.#scope.manage(state.value)
  }

  json(stringify: QuickJSHandle, value: QuickJSHandle): string | undefined {
    const kind = this.context.typeof(value)
    if (kind === 'undefined') return undefined
    if (kind !== 'object') throw new ModuleFault(`returned a ${kind}; expected an object, null or nothing`)
    const text = this.call(stringify, value)
    if (this.context.typeof(text) !== 'string') throw new ModuleFault('returned what cannot be written as JSON')
    if (this.context.getNumber(this.property(text, 'length')) > transformLimits.resultCharacters) {
      throw new ModuleFault(`returned more than ${transformLimits.resultCharacters} characters`)
    }
    return this.context.getString(text)
  }

  #fault(thrown: QuickJSHandle): ModuleFault {
    return this.#isLate() ? tookTooLong() : thrownFault(this.context, thrown)
  }

  #isLate(): boolean {
    return process.threadCpuUsage(this.#startedAt).user > transformLimits.cpuMs * 1_000
  }
}
