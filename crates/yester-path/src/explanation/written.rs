//! The first byte that the versions write differently: the statements that wrote it, and where its computations part.

use super::{NEW, OLD};
use crate::expression::{Evaluator, ExpressionText, NodeId};
use crate::joint::Joint;
use crate::origin::{Origin, SourcePlace};
use crate::parting::partings;
use crate::recording::{Output, OutputByte, Recording, RecordingError};

/// Longer expressions are not told.
const LONGEST_EXPRESSION: usize = 50;
/// So many pieces of the output are compared, from the first on, and so many bytes of it.
const MOST_PIECES: u64 = 1 << 18;
const MOST_BYTES: usize = 1 << 22;
/// So many partings are told at most.
const MOST_PARTINGS: usize = 3;

/// Something that was computed or written differently.
pub struct WrittenDifference {
    /// The version whose place it is.
    pub version: usize,
    /// Where.
    pub place: SourcePlace,
    /// What the old version has.
    pub was: String,
    /// What the new version has.
    pub becomes: String,
    /// Whether this is what was written, and not how it was computed.
    pub is_output: bool,
}

/// What the versions wrote, up to the first byte that differs.
struct FirstDifference {
    outputs: [Output; 2],
    /// All bytes of the stream in which they differ.
    bytes: [Vec<OutputByte>; 2],
    /// Where they differ first.
    at: usize,
}

impl FirstDifference {
    /// Standard output comes before standard error. None if nothing differs.
    fn find(recordings: [&Recording; 2]) -> Result<Option<FirstDifference>, RecordingError> {
        let outputs = [
            recordings[OLD].output_beginning(MOST_PIECES)?,
            recordings[NEW].output_beginning(MOST_PIECES)?,
        ];
        for descriptor in [1, 2] {
            let bytes = outputs.each_ref().map(|output| bytes(output, descriptor));
            let common = bytes[OLD].iter().zip(&bytes[NEW]);
            let common = common.take_while(|(old, new)| old.value == new.value);
            let at = common.count();
            if bytes.iter().any(|bytes| bytes.len() > at) {
                return Ok(Some(FirstDifference { outputs, bytes, at }));
            }
        }
        Ok(None)
    }

    /// The byte that a version wrote there, if it wrote one.
    fn byte(&self, version: usize) -> Option<&OutputByte> {
        self.bytes[version].get(self.at)
    }

    /// When it wrote it.
    fn origin(&self, version: usize) -> Option<Origin> {
        let byte = self.byte(version)?;
        Some(self.outputs[version].pieces[byte.piece].origin)
    }
}

/// What the versions wrote differently first.
pub fn written_differently(
    recordings: [&Recording; 2],
    joint: &Joint,
) -> Result<Vec<WrittenDifference>, RecordingError> {
    let Some(difference) = FirstDifference::find(recordings)? else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    if let [Some(old), Some(new)] = [OLD, NEW].map(|version| difference.byte(version))
        && let (Some(old), Some(new)) = (old.node, new.node)
    {
        found = parted(recordings, joint, old, new)?;
    }
    for version in [NEW, OLD] {
        let Some(origin) = difference.origin(version) else {
            continue;
        };
        let Some(place) = place(recordings[version], origin)? else {
            continue;
        };
        let texts = [OLD, NEW].map(|one| line_around(&difference.bytes[one], difference.at));
        let [was, becomes] = texts;
        found.push(WrittenDifference {
            version,
            place,
            was,
            becomes,
            is_output: true,
        });
    }
    Ok(found)
}

/// When each version wrote the first byte that differs; none of a version that wrote nothing there.
pub fn first_difference(
    recordings: [&Recording; 2],
) -> Result<Option<[Option<Origin>; 2]>, RecordingError> {
    let difference = FirstDifference::find(recordings)?;
    Ok(difference.map(|difference| [OLD, NEW].map(|version| difference.origin(version))))
}

fn bytes(output: &Output, descriptor: u32) -> Vec<OutputByte> {
    let target = output.target(descriptor);
    target.map_or_else(Vec::new, |target| {
        output.bytes(target).take(MOST_BYTES).collect()
    })
}

/// The line that a byte belongs to.
fn line_around(bytes: &[OutputByte], at: usize) -> String {
    let values: Vec<u8> = bytes.iter().map(|byte| byte.value).collect();
    let at = at.min(values.len());
    let begin = values[..at].iter().rposition(|byte| *byte == b'\n');
    let begin = begin.map_or(0, |newline| newline + 1);
    let end = values[at..].iter().position(|byte| *byte == b'\n');
    let end = end.map_or(values.len(), |newline| at + newline);
    format!("{:?}", String::from_utf8_lossy(&values[begin..end]))
}

fn place(recording: &Recording, origin: Origin) -> Result<Option<SourcePlace>, RecordingError> {
    Ok(recording.places(&[origin])?.pop().flatten())
}

/// Where the computations of the byte part, in both versions.
fn parted(
    recordings: [&Recording; 2],
    joint: &Joint,
    old: NodeId,
    new: NodeId,
) -> Result<Vec<WrittenDifference>, RecordingError> {
    let common = [joint.run(OLD).node(old), joint.run(NEW).node(new)];
    let pairs = partings(joint.graph(), common[OLD], common[NEW]);
    let own = [joint.run(OLD).own_nodes(), joint.run(NEW).own_nodes()];
    let origins = [recordings[OLD].origins()?, recordings[NEW].origins()?];
    let mut found = Vec::new();
    for pair in pairs {
        if found.len() >= 2 * MOST_PARTINGS {
            break;
        }
        let pair = [pair.0, pair.1];
        let [was, becomes] = [OLD, NEW].map(|version| {
            let values = joint.values(version);
            value_and_text(joint, pair[version], &values)
        });
        // Another way to the same value makes no difference.
        if was.0 == becomes.0 {
            continue;
        }
        let (was, becomes) = (was.1, becomes.1);
        for version in [NEW, OLD] {
            let origin = own[version].get(&pair[version]);
            let origin = origin.and_then(|node| origins[version].get(node.0 as usize));
            if let Some(origin) = origin
                && let Some(place) = place(recordings[version], *origin)?
            {
                found.push(WrittenDifference {
                    version,
                    place,
                    was: was.clone(),
                    becomes: becomes.clone(),
                    is_output: false,
                });
            }
        }
    }
    Ok(found)
}

/// The value of a node, and how it is computed if that is short.
fn value_and_text(joint: &Joint, node: NodeId, input: &[u8]) -> (i64, String) {
    let graph = joint.graph();
    let mut evaluator = Evaluator::new(graph);
    evaluator.compute(graph.needed([node]), input);
    let value = as_signed(evaluator.value(node), graph.width(node));
    let text = ExpressionText::new(graph, &joint.input, &joint.sources).number(node);
    if text.chars().count() <= LONGEST_EXPRESSION {
        (value, format!("{value} ({text})"))
    } else {
        (value, value.to_string())
    }
}

/// A number of so many bits, with its sign.
pub fn as_signed(value: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    (value << shift) as i64 >> shift
}
