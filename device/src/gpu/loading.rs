//! Kernels from code: what the driver loads, and what is said where it refuses.

use cust::module::Module;

use super::compile::{self, Image};
use super::version_downgrade::Older;
use super::{CudaCode, Gpu, KernelProperties, Loaded, failed};
use crate::{Error, KernelHandle};

impl Gpu {
    /// Loads a kernel from code; the PTX of the code says what the kernel's parameters are.
    pub(super) fn load_image(&mut self, image: Image<'_>, ptx: &str, name: &str) -> Result<KernelHandle, Error> {
        self.enter()?;
        let module = ptx_parser::Module::parse(ptx)?;
        let kernel = crate::find(&module, name)?.clone();
        let bytes = image.bytes();
        let known = self.held.modules.iter().position(|(of, _)| of == bytes);
        let index = match known {
            Some(index) => index,
            None => {
                let (loaded, remark) = self.load_code(image, &module)?;
                self.remarks.extend(remark);
                self.held.modules.push((bytes.to_vec(), loaded));
                self.held.modules.len() - 1
            }
        };
        let properties = KernelProperties::of(&self.function_in(index, name)?);
        let properties = properties.map_err(failed("find the kernel in the code"))?;
        self.kernels.push(Loaded { kernel, module: index, properties });
        Ok(KernelHandle(self.kernels.len() - 1))
    }

    /// Gives code to the driver, and PTX that is too new once more with an older version; also returns a remark about that.
    fn load_code(&self, image: Image<'_>, module: &ptx_parser::Module) -> Result<(Module, Option<String>), Error> {
        let first = compile::load(image);
        let older = match (&first, image) {
            (Err(CudaCode::UNSUPPORTED_PTX_VERSION), Image::Ptx(_)) => {
                Older::of(module, self.properties.driver_version)
            }
            _ => None,
        };
        let (image, loaded) = match &older {
            Some(older) => (Image::Ptx(&older.text), compile::load(Image::Ptx(&older.text))),
            None => (image, first),
        };
        let remark = older.as_ref().map(|older| older.remark.clone());
        match loaded {
            Ok(loaded) => Ok((loaded, remark)),
            Err(code) => {
                let (code, problems) = compile::explain(image, code);
                Err(Error::Refused { code, problems, remark, help: self.help_with(module, code) })
            }
        }
    }

    /// Tells what to do about code that is refused: it may be for a newer GPU, which not every driver says.
    fn help_with(&self, module: &ptx_parser::Module, code: CudaCode) -> String {
        let target = module.target().iter().find(|word| word.starts_with("sm_"));
        let number = target.and_then(|word| word[3..].trim_end_matches(['a', 'f']).parse().ok());
        match target {
            Some(target) if number > Some(self.properties.arch_number()) => {
                let arch = self.properties.arch();
                format!("it is for {target}, and this GPU is {arch}: compile it with `--arch {arch}`")
            }
            _ => code.remedy().to_owned(),
        }
    }
}
