// What of WebAssembly is used here: the types that come with Node leave it to the browser's.
export interface WasmMemory {
  readonly buffer: ArrayBuffer
}
export type WasmModule = object

interface WebAssemblyApi {
  compile(bytes: Uint8Array): Promise<WasmModule>
  Instance: new (
    module: WasmModule,
    imports: Record<string, Record<string, unknown>>,
  ) => { exports: { memory: WasmMemory; _start(): void } }
}

export const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: WebAssemblyApi }
