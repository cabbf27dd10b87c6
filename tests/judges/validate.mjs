// SPDX-License-Identifier: MIT
// Runs gltf-validator on files and prints what it found as JSON.
//
//   node validate.mjs FILE…
//
// stdout: [{"file", "errors", "warnings", "infos", "hints", "codes": {"ERROR": {"CODE": count}, …}}, …], in the
// order asked for. "error" instead of counts when a file cannot be read. Exit code 0 whatever the counts.
import fs from 'node:fs';
import path from 'node:path';
import validator from 'gltf-validator';

const kSeverities = ['ERROR', 'WARNING', 'INFORMATION', 'HINT'];

async function report(file) {
  const folder = path.dirname(file);
  const found = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    uri: path.basename(file),
    maxIssues: 0,
    externalResourceFunction: async (uri) => new Uint8Array(fs.readFileSync(path.join(folder, decodeURIComponent(uri)))),
  });
  const codes = {};
  for (const { severity, code } of found.issues.messages) {
    const counts = (codes[kSeverities[severity]] ??= {});
    counts[code] = (counts[code] ?? 0) + 1;
  }
  const { numErrors, numWarnings, numInfos, numHints } = found.issues;
  return { file, errors: numErrors, warnings: numWarnings, infos: numInfos, hints: numHints, codes };
}

const reports = [];
for (const file of process.argv.slice(2)) {
  reports.push(await report(file).catch((error) => ({ file, error: String(error.message ?? error) })));
}
console.log(JSON.stringify(reports, null, 1));
