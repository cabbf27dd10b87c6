// SPDX-License-Identifier: MIT
// Poses a glTF or an FBX with three.js (its loader, its mixer, its CPU skinning) at several clips and times in one run.
//
//   node three_pose.mjs FILE OUT.bin REQUESTS.json
//
// REQUESTS.json: [{"clip": 0, "time": 0.5}, …]; clip is an index, -1 means the nodes as the file rests them.
// OUT.bin, little-endian: uint32 request count; for each request uint32 point count, then float64 x y z of each
// point in world space, ordered by node, primitive, vertex. Nodes outside the default scene are left out. An FBX
// keeps three.js's own order: a vertex for each corner of each triangle. Its clips start at 0.
// stdout, JSON: {"points", "clips": [{"name", "duration"}], "beyond_four": [mesh names], "warnings": […]}.
// three.js reads JOINTS_0 and WEIGHTS_0 only: meshes under "beyond_four" are not judged fairly by it.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

// What the loader expects of a browser.
globalThis.self = globalThis.window = globalThis;
globalThis.ProgressEvent ??= class {};

const THREE = await import('three');
const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');
const { FBXLoader } = await import('three/examples/jsm/loaders/FBXLoader.js');
const { MeshoptDecoder } = await import('three/examples/jsm/libs/meshopt_decoder.module.js');

const warnings = [];
console.warn = console.error = (...words) => warnings.push(words.join(' '));

// ---- Loading ----

// three's own DRACOLoader wants web workers; this drives the same decoder (from three's package) in place.
const dracoLoader = {
  preload() {},
  async decodeDracoFile(buffer, done, attributeIds, attributeTypes, _colorSpace, fail) {
    try {
      done(await decodeDraco(new Int8Array(buffer), attributeIds, attributeTypes));
    } catch (error) {
      fail(error);
    }
  },
};

async function decodeDraco(bytes, attributeIds, attributeTypes) {
  const file = fileURLToPath(new URL('node_modules/three/examples/jsm/libs/draco/gltf/draco_decoder.js', import.meta.url));
  // The decoder is a plain script inside a package of modules, so neither import nor require takes it.
  const script = new Function('require', '__filename', '__dirname', fs.readFileSync(file, 'utf8') + '\nreturn DracoDecoderModule;');
  const draco = await script(createRequire(import.meta.url), file, path.dirname(file))();
  const decoder = new draco.Decoder();
  const mesh = new draco.Mesh();
  const status = decoder.DecodeArrayToMesh(bytes, bytes.byteLength, mesh);
  if (!status.ok()) throw new Error('draco: ' + status.error_msg());
  const dracoTypes = { Float32Array: draco.DT_FLOAT32, Int8Array: draco.DT_INT8, Uint8Array: draco.DT_UINT8,
    Int16Array: draco.DT_INT16, Uint16Array: draco.DT_UINT16, Int32Array: draco.DT_INT32, Uint32Array: draco.DT_UINT32 };
  const geometry = new THREE.BufferGeometry();
  const copyOut = (Type, count, fill) => {
    const size = count * Type.BYTES_PER_ELEMENT;
    const place = draco._malloc(size);
    fill(size, place);
    const values = new Type(draco.HEAPF32.buffer, place, count).slice();
    draco._free(place);
    return values;
  };
  for (const [name, id] of Object.entries(attributeIds)) {
    const attribute = decoder.GetAttributeByUniqueId(mesh, id);
    const Type = globalThis[attributeTypes[name]];
    const values = copyOut(Type, mesh.num_points() * attribute.num_components(), (size, place) =>
      decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, dracoTypes[attributeTypes[name]], size, place));
    geometry.setAttribute(name, new THREE.BufferAttribute(values, attribute.num_components()));
  }
  geometry.setIndex(new THREE.BufferAttribute(copyOut(Uint32Array, mesh.num_faces() * 3, (size, place) =>
    decoder.GetTrianglesUInt32Array(mesh, size, place)), 1));
  return geometry;
}

const asArrayBuffer = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

// In the shape of what the glTF loader gives. Textures stay empty, as above.
function loadFbx(file) {
  THREE.TextureLoader.prototype.load = () => new THREE.Texture();
  const loader = new FBXLoader();
  loader.trimAnimationClips = true;
  const scene = loader.parse(asArrayBuffer(fs.readFileSync(file)), '');
  const cut = warnings.some((words) => words.includes('more than 4 skinning weights'));
  return { scene, animations: scene.animations, parser: { associations: new Map(), json: {} }, cut };
}

async function load(file) {
  if (file.toLowerCase().endsWith('.fbx')) return loadFbx(file);
  const bytes = fs.readFileSync(file);
  const loader = new GLTFLoader();
  loader.setMeshoptDecoder(MeshoptDecoder);
  loader.setDRACOLoader(dracoLoader);
  loader.register((parser) => {
    // Pictures do not move points: every texture is an empty one.
    parser.loadTexture = parser.loadTextureImage = async () => new THREE.Texture();
    const loadBuffer = parser.loadBuffer.bind(parser);
    parser.loadBuffer = async (index) => {
      const { uri } = parser.json.buffers[index];
      if (uri === undefined) return loadBuffer(index);
      const content = uri.startsWith('data:')
        ? Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64')
        : fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri)));
      return asArrayBuffer(content);
    };
    return { name: 'dermis-judge' };
  });
  return new Promise((done, fail) => loader.parse(asArrayBuffer(bytes), '', done, fail));
}

// ---- Posing ----

// [node, primitive] of an object with points: its own association, or its parent's when it is one of several
// primitives in a group.
function place(gltf, object) {
  const of = (o) => gltf.parser.associations.get(o) ?? {};
  let holder = object;
  while (holder && of(holder).nodes === undefined) holder = holder.parent;
  return [of(holder).nodes ?? 0, of(object).primitives ?? 0];
}

function drawnObjects(gltf) {
  const found = [];
  gltf.scene.traverse((o) => { if (o.isMesh || o.isPoints || o.isLine) found.push({ object: o, key: place(gltf, o) }); });
  found.sort((a, b) => a.key[0] - b.key[0] || a.key[1] - b.key[1]);
  return found.map((f) => f.object);
}

// The state that a mixer changes, so that every request starts from rest.
function restOf(gltf) {
  const saved = [];
  gltf.scene.traverse((o) => saved.push([o, o.position.clone(), o.quaternion.clone(), o.scale.clone(),
    o.morphTargetInfluences?.slice()]));
  return () => {
    for (const [o, position, quaternion, scale, influences] of saved) {
      o.position.copy(position);
      o.quaternion.copy(quaternion);
      o.scale.copy(scale);
      influences?.forEach((weight, i) => { o.morphTargetInfluences[i] = weight; });
    }
  };
}

function applyClip(gltf, clip, time) {
  if (clip < 0) return;
  if (!gltf.animations[clip]) throw new Error(`there is no clip ${clip}`);
  const action = new THREE.AnimationMixer(gltf.scene).clipAction(gltf.animations[clip]);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  action.getMixer().setTime(time);
}

function updateMatrices(gltf, objects) {
  gltf.scene.updateMatrixWorld(true);
  // Joints may stand outside the default scene.
  const roots = new Set();
  for (const object of objects) {
    for (const bone of object.skeleton?.bones ?? []) {
      let top = bone;
      while (top.parent) top = top.parent;
      if (top !== gltf.scene) roots.add(top);
    }
  }
  for (const top of roots) top.updateMatrixWorld(true);
}

function writePoints(objects, out) {
  const v = new THREE.Vector3();
  for (const object of objects) {
    // A skinned mesh ignores its node. three.js multiplies by the node's matrix and by its inverse, which is
    // nothing but rounding, or NaN where a node is scaled to zero: leave both out.
    if (object.isSkinnedMesh) object.bindMatrixInverse.identity();
    // Lines and points have no getVertexPosition of their own; the mesh's one does their morphs as well.
    const position = object.getVertexPosition ?? THREE.Mesh.prototype.getVertexPosition;
    const count = object.geometry.attributes.position?.count ?? 0;
    for (let i = 0; i < count; i++) {
      position.call(object, i, v);
      if (!object.isSkinnedMesh) v.applyMatrix4(object.matrixWorld);
      out.push(v.x, v.y, v.z);
    }
  }
}

function beyondFour(json) {
  const has = (mesh) => (mesh.primitives ?? []).some((p) => p.attributes?.JOINTS_1 !== undefined);
  return (json.meshes ?? []).flatMap((mesh, i) => (has(mesh) ? [mesh.name ?? `#${i}`] : []));
}

const [file, out, requestFile] = process.argv.slice(2);
if (!requestFile) {
  process.stderr.write('usage: node three_pose.mjs FILE OUT.bin REQUESTS.json\n');
  process.exit(2);
}
try {
  const requests = JSON.parse(fs.readFileSync(requestFile, 'utf8'));
  const gltf = await load(file);
  if (!gltf.scene) throw new Error('the file has no scene');
  const objects = drawnObjects(gltf);
  const toRest = restOf(gltf);
  const header = (count) => { const b = Buffer.alloc(4); b.writeUInt32LE(count); return b; };
  const chunks = [header(requests.length)];
  let points = 0;
  for (const { clip, time } of requests) {
    toRest();
    applyClip(gltf, clip, time);
    updateMatrices(gltf, objects);
    const numbers = [];
    writePoints(objects, numbers);
    points = numbers.length / 3;
    chunks.push(header(points), Buffer.from(Float64Array.from(numbers).buffer));
  }
  fs.writeFileSync(out, Buffer.concat(chunks));
  const clips = gltf.animations.map(({ name, duration }) => ({ name, duration }));
  console.log(JSON.stringify({ points, clips, beyond_four: gltf.cut ? ['some'] : beyondFour(gltf.parser.json), warnings }));
} catch (error) {
  process.stderr.write(`${file}: ${error.message ?? error}\n`);
  process.exit(1);
}
