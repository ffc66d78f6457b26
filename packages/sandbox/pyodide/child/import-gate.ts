// The only ways out of Python's WebAssembly are the functions it was given when it was made. Most of them are Pyodide's
// bridge to JavaScript. Once the gate is closed those are gone, and what is left takes and gives numbers: files in this
// process's memory, clocks, memory. Whatever Python code does to its own memory, with ctypes, with forged objects or
// forged bytecode, there is nothing in JavaScript that it could call.

/** Of Emscripten: files, sockets that lead nowhere, time, memory, calls back into WebAssembly itself. */
const stillAllowed = new RegExp(
  `^(${[
    '__syscall_\\w+',
    // WASI
    'proc_exit|environ_(sizes_)?get|fd_(close|read|write|sync|fdstat_get|seek|pread|pwrite)|clock_(res|time)_get|random_get',
    // Its end
    'exit|__assert_fail|_abort_js|_emscripten_runtime_keepalive_clear|emscripten_runtime_keepalive_(push|pop)',
    // Memory
    '_mmap_js|_munmap_js|_msync_js|emscripten_resize_heap|emscripten_get_heap_max',
    // Time and signals
    'emscripten_date_now|emscripten_get_now|_(tzset|timegm|mktime|localtime|gmtime|setitimer)_js|__call_sighandler',
    '_Py_CheckEmscriptenSignals_Helper|_Py_emscripten_runtime|_emscripten_get_progname',
    // Names and sockets
    'getaddrinfo|getnameinfo|getprotobyname|_emscripten_lookup_name|_(maybe|try)_\\w+',
    // `os.system`, which finds no command
    '_emscripten_system',
    // Calls from WebAssembly into WebAssembly
    '_PyEM_TrampolineCall_JS|invoke_\\w+|ffi_call_js|ffi_closure_(alloc|free)_js|ffi_prep_closure_loc_js',
    '_dlopen_js|_dlsym_js|_dlsym_catchup_js|__cxa_\\w+|_Unwind_\\w+|llvm_eh_typeid_for|__resumeException',
    'emscripten_longjmp|_emscripten_throw_longjmp|saveSetjmp|testSetjmp',
  ].join('|')})$`,
)

/** It makes a few bytes of code that call a function of Python, of nothing but their number and kinds of arguments. */
const makesCode = 'ffi_prep_closure_loc_js'

/** Only a whole program is given this. */
const systemInterface = 'wasi_snapshot_preview1'

type Imported = (...args: never[]) => unknown
type Imports = Record<string, Record<string, unknown>>

/** What is used of it; the types of Node leave it out. */
interface WebAssemblyApi {
  instantiate(bytes: Uint8Array, imports: Imports): Promise<{ instance: { exports: unknown } }>
  Module: new (bytes: Uint8Array) => object
}

export interface PythonExports {
  memory: { readonly buffer: ArrayBuffer }
  malloc(bytes: number): number
  free(pointer: number): void
  dlopen(path: number, mode: number): number
  dlerror(): number
  PyImport_ImportModule(name: number): number
  PyObject_GetAttrString(object: number, name: number): number
  PyObject_CallOneArg(callable: number, argument: number): number
  PyUnicode_FromStringAndSize(pointer: number, bytes: number): number
  PyUnicode_AsUTF8AndSize(object: number, size: number): number
  PyErr_Clear(): void
  Py_DecRef(object: number): void
}

export class ImportGate {
  #isClosed = false
  #mayCompile = true
  #exports: PythonExports | undefined

  /** Before Pyodide is loaded. */
  constructor() {
    const api = Reflect.get(globalThis, 'WebAssembly') as WebAssemblyApi
    const { instantiate, Module } = api
    const refuse = (): never => {
      throw new Error('no code can be added to Python')
    }
    const mayCompile = (): boolean => this.#mayCompile
    const gated = new Proxy(Module, {
      construct: (target, args) => (mayCompile() ? Reflect.construct(target, args) : refuse()),
    })
    const make = async (bytes: Uint8Array, imports: Imports = {}): Promise<unknown> => {
      if (!mayCompile()) refuse()
      // Pyodide has a helper or two besides Python.
      const isPython = imports[systemInterface] !== undefined
      if (isPython) this.#guard(imports.env ?? {})
      const result = await instantiate(bytes, imports)
      if (isPython) this.#exports = result.instance.exports as PythonExports
      return result
    }
    Object.assign(api, { Module: gated, instantiate: make, compile: refuse, compileStreaming: refuse })
    Object.assign(api, { instantiateStreaming: refuse })
  }

  /** Python's own functions, which take and give numbers. */
  get exports(): PythonExports {
    if (this.#exports === undefined) throw new Error('Python is not loaded yet.')
    return this.#exports
  }

  /** For good. */
  close(): void {
    this.#isClosed = true
    this.#mayCompile = false
  }

  /** Code of a package: only what `work` adds. */
  compiling<T>(work: () => T): T {
    const before = this.#mayCompile
    this.#mayCompile = true
    try {
      return work()
    } finally {
      this.#mayCompile = before
    }
  }

  /** In place: libraries that are loaded later are given the same functions. */
  #guard(imports: Record<string, unknown>): void {
    for (const [name, imported] of Object.entries(imports)) {
      if (name === makesCode) imports[name] = like(imported, (...args) => this.compiling(() => call(imported, args)))
      else if (!stillAllowed.test(name)) imports[name] = this.#gated(name, imported)
    }
  }

  #gated(name: string, imported: unknown): Imported {
    return like(imported, (...args) => {
      if (this.#isClosed) throw new Error(`${name} leads out of Python`)
      return call(imported, args)
    })
  }
}

/** Emscripten keeps a function's signature as a property of it. */
const like = (imported: unknown, wrapper: Imported): Imported =>
  Object.assign(wrapper, typeof imported === 'function' ? { ...imported } : {})

function call(imported: unknown, args: unknown[]): unknown {
  // One is no function but waits for a promise, which nothing here does.
  if (typeof imported !== 'function') throw new Error('Python cannot wait for JavaScript')
  return imported(...args)
}
