// Calls into Python with text, and nothing else: no object of JavaScript becomes one of Python, or the other way round.
import type { PythonExports } from './import-gate.ts'

const pointerBytes = 4
const relocateNow = 2
const maxErrorBytes = 500

export class PythonCalls {
  readonly #exports: PythonExports
  readonly #module: number

  constructor(exports: PythonExports, module: string) {
    this.#exports = exports
    this.#module = this.#withText(module, (name) => exports.PyImport_ImportModule(name))
  }

  /** A function of the module, found once: code that replaces it later changes its own world only. */
  find(name: string): (text: string) => string {
    const found = this.#withText(name, (pointer) => this.#exports.PyObject_GetAttrString(this.#module, pointer))
    if (found === 0) throw new Error(`Python has no ${name}.`)
    return (text) => this.#call(found, text)
  }

  /** Loads a library of Python's file system; the reason when it cannot be. */
  loadLibrary(path: string): string | undefined {
    const handle = this.#withText(path, (pointer) => this.#exports.dlopen(pointer, relocateNow))
    if (handle !== 0) return undefined
    const reason = this.#exports.dlerror()
    const bytes = new Uint8Array(this.#exports.memory.buffer).subarray(reason, reason + maxErrorBytes)
    return Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString('utf8')
  }

  #call(callable: number, text: string): string {
    const { PyUnicode_FromStringAndSize, PyObject_CallOneArg, Py_DecRef, PyErr_Clear } = this.#exports
    const argument = this.#withText(text, (pointer, bytes) => PyUnicode_FromStringAndSize(pointer, bytes))
    const result = argument === 0 ? 0 : PyObject_CallOneArg(callable, argument)
    if (argument !== 0) Py_DecRef(argument)
    if (result === 0) {
      PyErr_Clear()
      throw new Error('the interpreter cannot go on')
    }
    const answer = this.#textOf(result)
    Py_DecRef(result)
    return answer
  }

  /** Empty when it is no text. */
  #textOf(object: number): string {
    const { malloc, free, memory, PyUnicode_AsUTF8AndSize, PyErr_Clear } = this.#exports
    const size = malloc(pointerBytes)
    const pointer = PyUnicode_AsUTF8AndSize(object, size)
    const bytes = pointer === 0 ? 0 : new DataView(memory.buffer).getUint32(size, true)
    free(size)
    if (pointer === 0) PyErr_Clear()
    return Buffer.from(memory.buffer.slice(pointer, pointer + bytes)).toString('utf8')
  }

  #withText<T>(text: string, use: (pointer: number, bytes: number) => T): T {
    const { malloc, free, memory } = this.#exports
    const bytes = Buffer.from(text)
    const pointer = malloc(bytes.length + 1)
    if (pointer === 0) throw new Error('there is no memory left for the code')
    const view = new Uint8Array(memory.buffer, pointer, bytes.length + 1)
    view.set(bytes)
    view[bytes.length] = 0
    try {
      return use(pointer, bytes.length)
    } finally {
      free(pointer)
    }
  }
}
