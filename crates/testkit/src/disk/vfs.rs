//! A layer below SQLite that does what the system's does, and records it.
//!
//! SQLite asks for one in C, so this is unsafe code: every function here is called by SQLite alone, with
//! the pointers that it was given at `open`, and hands them on to the system's layer.
#![expect(unsafe_code, reason = "SQLite calls its layers through pointers in C")]
#![expect(
    clippy::undocumented_unsafe_blocks,
    clippy::multiple_unsafe_ops_per_block,
    clippy::borrow_as_ptr,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_possible_truncation,
    reason = "the whole file is one contract with SQLite, told above"
)]

use std::ffi::{CStr, OsStr};
use std::os::raw::{c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr;
use std::sync::Once;

use libsqlite3_sys::{
    SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_OK, sqlite3_file, sqlite3_int64, sqlite3_io_methods,
    sqlite3_vfs, sqlite3_vfs_find, sqlite3_vfs_register,
};

use super::record::{self, DiskOp};

/// A file of ours; the system's lies right behind it.
#[repr(C)]
struct File {
    base: sqlite3_file,
    /// The name, when the file is recorded.
    name: *mut String,
}

unsafe fn real(file: *mut sqlite3_file) -> *mut sqlite3_file {
    unsafe { file.cast::<File>().add(1).cast() }
}

unsafe fn methods(file: *mut sqlite3_file) -> &'static sqlite3_io_methods {
    unsafe { &*(*real(file)).pMethods }
}

unsafe fn name<'a>(file: *mut sqlite3_file) -> Option<&'a String> {
    unsafe { (*file.cast::<File>()).name.as_ref() }
}

unsafe fn system(vfs: *mut sqlite3_vfs) -> *mut sqlite3_vfs {
    unsafe { (*vfs).pAppData.cast() }
}

/// Hands a call on to the system's file.
macro_rules! hand_on {
    ($name:ident, $method:ident, ($($argument:ident: $kind:ty),*)) => {
        unsafe extern "C" fn $name(file: *mut sqlite3_file, $($argument: $kind),*) -> c_int {
            match unsafe { methods(file) }.$method {
                Some(method) => unsafe { method(real(file), $($argument),*) },
                None => SQLITE_IOERR,
            }
        }
    };
}

hand_on!(read, xRead, (buffer: *mut c_void, amount: c_int, offset: sqlite3_int64));
hand_on!(file_size, xFileSize, (size: *mut sqlite3_int64));
hand_on!(lock, xLock, (how: c_int));
hand_on!(unlock, xUnlock, (how: c_int));
hand_on!(check_reserved, xCheckReservedLock, (out: *mut c_int));
hand_on!(file_control, xFileControl, (op: c_int, argument: *mut c_void));
hand_on!(sector_size, xSectorSize, ());
hand_on!(characteristics, xDeviceCharacteristics, ());
hand_on!(shm_map, xShmMap, (region: c_int, size: c_int, extend: c_int, out: *mut *mut c_void));
hand_on!(shm_lock, xShmLock, (offset: c_int, count: c_int, flags: c_int));
hand_on!(shm_unmap, xShmUnmap, (delete: c_int));
hand_on!(fetch, xFetch, (offset: sqlite3_int64, amount: c_int, out: *mut *mut c_void));
hand_on!(unfetch, xUnfetch, (offset: sqlite3_int64, page: *mut c_void));

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    if let Some(method) = unsafe { methods(file) }.xShmBarrier {
        unsafe { method(real(file)) }
    }
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    let code = match unsafe { methods(file) }.xClose {
        Some(method) => unsafe { method(real(file)) },
        None => SQLITE_OK,
    };
    let ours = file.cast::<File>();
    unsafe {
        if !(*ours).name.is_null() {
            drop(Box::from_raw((*ours).name));
            (*ours).name = ptr::null_mut();
        }
    }
    code
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    buffer: *const c_void,
    amount: c_int,
    offset: sqlite3_int64,
) -> c_int {
    let code = match unsafe { methods(file) }.xWrite {
        Some(method) => unsafe { method(real(file), buffer, amount, offset) },
        None => SQLITE_IOERR,
    };
    if let (SQLITE_OK, Some(name)) = (code, unsafe { name(file) }) {
        let bytes = unsafe { std::slice::from_raw_parts(buffer.cast::<u8>(), amount as usize) };
        record::did(DiskOp::Write {
            file: name.clone(),
            offset: offset as u64,
            bytes: bytes.to_vec(),
        });
    }
    code
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, length: sqlite3_int64) -> c_int {
    let code = match unsafe { methods(file) }.xTruncate {
        Some(method) => unsafe { method(real(file), length) },
        None => SQLITE_IOERR,
    };
    if let (SQLITE_OK, Some(name)) = (code, unsafe { name(file) }) {
        let (file, length) = (name.clone(), length as u64);
        record::did(DiskOp::Truncate { file, length });
    }
    code
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    let code = match unsafe { methods(file) }.xSync {
        Some(method) => unsafe { method(real(file), flags) },
        None => SQLITE_IOERR,
    };
    if let (SQLITE_OK, Some(name)) = (code, unsafe { name(file) }) {
        record::did(DiskOp::Sync { file: name.clone() });
    }
    code
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 3,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: Some(fetch),
    xUnfetch: Some(unfetch),
};

unsafe fn path<'a>(name: *const c_char) -> Option<&'a Path> {
    if name.is_null() {
        return None;
    }
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    Some(Path::new(OsStr::from_bytes(bytes)))
}

unsafe extern "C" fn open(
    vfs: *mut sqlite3_vfs,
    file_name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    let ours = file.cast::<File>();
    unsafe {
        (*ours).base.pMethods = ptr::null();
        (*ours).name = ptr::null_mut();
    }
    let recorded = unsafe { path(file_name) }.and_then(|path| {
        let is_new = !path.exists();
        record::name_of(path).map(|name| (name, is_new))
    });
    let system = unsafe { system(vfs) };
    let code = match unsafe { (*system).xOpen } {
        Some(method) => unsafe { method(system, file_name, real(file), flags, out_flags) },
        None => SQLITE_CANTOPEN,
    };
    if code == SQLITE_OK {
        if let Some((name, is_new)) = recorded {
            if is_new {
                record::did(DiskOp::Create { file: name.clone() });
            }
            unsafe { (*ours).name = Box::into_raw(Box::new(name)) };
        }
        unsafe { (*ours).base.pMethods = &METHODS };
    }
    code
}

unsafe extern "C" fn delete(
    vfs: *mut sqlite3_vfs,
    file_name: *const c_char,
    sync_folder: c_int,
) -> c_int {
    let recorded = unsafe { path(file_name) }.and_then(record::name_of);
    let system = unsafe { system(vfs) };
    let code = match unsafe { (*system).xDelete } {
        Some(method) => unsafe { method(system, file_name, sync_folder) },
        None => SQLITE_IOERR,
    };
    if let (SQLITE_OK, Some(file)) = (code, recorded) {
        let synced = sync_folder != 0;
        record::did(DiskOp::Delete { file, synced });
    }
    code
}

/// Puts this layer below every connection that this process opens from now on.
pub(super) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| unsafe {
        let system = sqlite3_vfs_find(ptr::null());
        assert!(!system.is_null(), "SQLite has a layer of its own");
        // The rest of the system's layer is used as it is: its functions look at no field that differs.
        let mut ours = *system;
        ours.szOsFile += size_of::<File>() as c_int;
        ours.zName = c"recorded".as_ptr();
        ours.pNext = ptr::null_mut();
        ours.pAppData = system.cast();
        ours.xOpen = Some(open);
        ours.xDelete = Some(delete);
        let ours = Box::leak(Box::new(ours));
        assert_eq!(sqlite3_vfs_register(ours, 1), SQLITE_OK);
    });
}
